"""The sample web: six small news sites on loopback whose pages change with a virtual clock.

For the demo, the tests and the benchmarks. Everything follows from a seed, so a measured figure
can be measured again; what is true of each page is told on a side port.
"""
