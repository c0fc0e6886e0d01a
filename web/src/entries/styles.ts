/** All styles of the studio. Shared styles come first, so that a page can override them. */
import "../styles/tokens.css";
import "../styles/ui.css";
import "./rooms";
