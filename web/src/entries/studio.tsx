/** The studio's page. */

import { render } from "preact";
import { Studio } from "../shell/Studio";
import { startTheme } from "../shell/theme";
import { tellTitles } from "../ui/titles";
import "./styles";

startTheme();
const place = document.getElementById("studio");
if (place) {
  place.className = "gradwalk";
  render(<Studio />, place);
  tellTitles(place);
}
