/** Shows an error in place of a page that failed, so that the rest of the studio works. */

import { Component, type ComponentChildren } from "preact";
import { messageOf } from "../ui/messages";

export class Guard extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: undefined as unknown };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div class="alert room-alert" role="alert">
        <p>This page cannot be shown: {messageOf(error)}</p>
      </div>
    );
  }
}
