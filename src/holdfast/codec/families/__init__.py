"""How instances of classes are taken apart and built: one module for each family of classes."""
