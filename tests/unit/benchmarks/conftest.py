import sys
from pathlib import Path

# The benchmarks are not installed, so they are imported from the repository's root.
sys.path.append(str(Path(__file__).resolve().parents[3]))
