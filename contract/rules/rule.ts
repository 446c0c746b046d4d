/** A rule of the contract in a few words, with the titles of the tests that hold it. */
export interface Rule {
  readonly rule: string;
  /** `…` stands for what a loop fills in: such a test is there for every endpoint, resource or field. */
  readonly tests: readonly [string, ...string[]];
}

/** One part of the contract. */
export interface Part {
  readonly part: string;
  readonly title: string;
  readonly rules: readonly Rule[];
}

/** Declares a rule; one without a test does not compile. */
export function rule(rule: string, ...tests: [string, ...string[]]): Rule {
  return { rule, tests };
}
