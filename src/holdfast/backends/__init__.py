"""Where rows live. `base` is the contract; every other module here is one way to keep it."""
