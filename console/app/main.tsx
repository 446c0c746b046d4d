import { render } from "preact";
import { locale } from "../strings/locale.ts";
import { App } from "./app.tsx";
import { watchFocus } from "./focus.ts";
import { watchLeaving } from "./leaving.ts";
import { startSession } from "./session.ts";

document.documentElement.lang = locale.value === "en" ? "en" : "pt-BR";
watchLeaving();
watchFocus();
void startSession();
render(<App />, document.getElementById("app")!);

// Tapping a relative time shows the exact time in its place, until the clock's next tick shows the relative time again.
addEventListener("click", (event) => {
  const time = (event.target as Element).closest?.("time[data-exact]");
  const text = time?.firstChild;
  if (!(text instanceof Text) || !(time instanceof HTMLElement)) return;
  text.data = text.data === time.dataset.exact ? time.dataset.relative! : time.dataset.exact!;
});
