/** All styles of the studio; the shared ones first, so that a room can overrule them. */
import "../styles/tokens.css";
import "./rooms";
