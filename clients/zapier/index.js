// The app, which Zapier's platform loads: the code in src/ with the data that `deno task zapier` writes.
import zapier from "zapier-platform-core";
import written from "./dist/written.json" with { type: "json" };
import own from "./package.json" with { type: "json" };
import { appOf } from "./src/app.js";

export default { version: own.version, platformVersion: zapier.version, ...appOf(written) };
