/** The styles of all rooms. A module of its own: what a glob finds comes before a module's other imports. */
import.meta.glob(["../styles/*.css", "!../styles/tokens.css"], { eager: true });
