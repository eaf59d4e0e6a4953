"""How solvers are run over datasets: what is run, one conversation at a time, on one core or many, into a store."""
