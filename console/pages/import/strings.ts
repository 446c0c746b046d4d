import { textsIn } from "../../strings/strings.ts";
import { TEXTS } from "./texts.ts";

export const { t, counted, named } = textsIn(TEXTS);
