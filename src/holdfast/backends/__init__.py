"""Where rows are stored. `base` is the contract; every folder but `common` is one backend."""
