/** A rule of the contract in a few words, with the titles of the tests that verify it. */
export interface Rule {
  readonly rule: string;
  /** `…` stands for any text: a loop defines such a test for every endpoint, resource or field. */
  readonly tests: readonly [string, ...string[]];
}

/** One part of the contract. */
export interface Part {
  readonly part: string;
  readonly title: string;
  readonly rules: readonly Rule[];
}

/** Declares a rule. A rule without a test does not compile. */
export function rule(rule: string, ...tests: [string, ...string[]]): Rule {
  return { rule, tests };
}
