/** A room that fails says so, and leaves the rest of the studio alive. */

import { Component, type ComponentChildren } from "preact";

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
        <p>This room cannot be shown: {error instanceof Error ? error.message : String(error)}</p>
      </div>
    );
  }
}
