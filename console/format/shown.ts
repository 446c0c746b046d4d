/** Numbers, amounts and moments in the chosen language. */
import {
  formatDay,
  formatHour,
  formatMoment,
  formatMoney,
  formatNumber,
  formatRelative,
  formatShortDay,
} from "./format.ts";
import { languageTag } from "../strings/locale.ts";

export const numberText = (value: number): string => formatNumber(value, languageTag.value);
export const moneyText = (value: number): string => formatMoney(value, languageTag.value);
export const momentText = (moment: string): string => formatMoment(moment, languageTag.value);
export const dayText = (day: string): string => formatDay(day, languageTag.value);
export const shortDayText = (day: string): string => formatShortDay(day, languageTag.value);
export const hourText = (moment: string): string => formatHour(moment, languageTag.value);
/** `now`: milliseconds */
export const relativeText = (moment: string, now: number): string =>
  formatRelative(moment, now, languageTag.value);
