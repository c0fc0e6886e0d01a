"""Programs of the frameworks are imported by tests alone, not where examples are collected."""

collect_ignore = ["jax_broken.py", "jax_calls.py", "jax_families.py", "torch_broken.py"]
