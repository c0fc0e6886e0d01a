"""The measured programs on arrays: one module per library, the same programs in each."""
