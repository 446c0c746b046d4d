import { textsIn } from "../../strings/strings.ts";
import { TEXTS } from "./texts.ts";

export const { t, counted } = textsIn(TEXTS);
