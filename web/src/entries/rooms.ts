/** The styles of all pages. They are a module of their own, because a glob comes before other imports. */
import.meta.glob(["../styles/*.css", "!../styles/{tokens,ui,cell}.css"], { eager: true });
