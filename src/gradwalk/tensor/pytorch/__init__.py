"""What users of PyTorch type: methods of Tensors under its names.

What may be imported from here: `attached`, which `gradwalk.tensor` sets on the class.
"""
