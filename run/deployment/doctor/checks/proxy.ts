import { isCurrent } from "../../../nodes/install.ts";
import { type Check, fine, wrong } from "../check.ts";

/** The proxy has the SQL of this release. The doctor runs this check only at a proxy. */
export const proxy: Check = {
  name: "proxy",
  needsDatabase: true,
  async look({ sql }) {
    if (await isCurrent(sql)) return fine();
    return wrong("The proxy has the SQL of another release", {
      advice: "Replace it with a new proxy, or check out the release that made it (docs/scale.md)",
    });
  },
};
