"""Distribution of work over the machines of a Ray cluster, or over the cores of this machine."""
