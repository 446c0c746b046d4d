import { Component, type ComponentChildren } from "preact";
import { t } from "../strings/strings.ts";
import { Button } from "./button.tsx";
import { Page } from "./page.tsx";

/** Shows a message instead of an empty page after a bug of the console; a reload may help. */
export class Boundary extends Component<{ children: ComponentChildren }, { broken: boolean }> {
  override state = { broken: false };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ broken: true });
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <Page title={t("app.broken")} text={t("app.broken_text")}>
        <Button class="button primary" text={t("app.reload")} onClick={() => location.reload()} />
      </Page>
    );
  }
}
