"""Running solvers over datasets: run specs, engines for one or many cores, and storage of the results."""
