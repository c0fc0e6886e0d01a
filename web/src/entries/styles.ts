import.meta.glob("../styles/*.css", { eager: true });
