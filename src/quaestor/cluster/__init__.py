"""Work spread over the machines of a Ray cluster, or over the cores of this one."""
