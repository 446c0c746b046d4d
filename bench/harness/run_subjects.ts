import { Argument, Command, InvalidArgumentError } from "commander";
import { taskArguments } from "../../run/deployment/task_arguments.ts";
import { closeOwnPostgres } from "../../run/local/own_postgres.ts";
import { type Figure, isHeld, type Measurement, tableOf } from "./figures.ts";
import { onInterrupt } from "./processes.ts";

export interface Conditions {
  short: boolean;
  /** The duration of a subject that lasts minutes (`--minutes`); absent: the subject's own default. */
  minutes?: number;
  /** Whether all subjects run. A subject that lasts minutes is then shorter. */
  amongAll: boolean;
  note(line: string): void;
}

/** One part of the bench. It starts the processes that it needs, and stops them. */
export interface Subject {
  /** The argument that selects this part: `deno task bench -- <name>`. */
  name: string;
  title: string;
  measure(conditions: Conditions): Promise<Measurement[]>;
}

/** A program of the bench: performance or attacks. */
interface Program {
  subjects: Subject[];
  /** The start of the command that measures one subject again, such as `deno task bench --`. */
  command: string;
}

/**
 * The share of a target that suffices with `--short`, except for waits and counts (`isHeld`). A run still
 * finds mistakes, but tolerates a busy machine: with the same code, one ratio was 0.27, 0.30, 0.32 and 0.36 in an hour.
 */
const SHORT_TOLERANCE = 0.5;

/**
 * The share of a wait's target that suffices with `--short`: a wait may be ten times its target. A busy machine makes
 * a wait ten times longer, but a mistake in the code makes it a thousand times longer. For attacks, the processor time
 * of a request is a stricter figure.
 */
const SHORT_WAITS = 0.1;

/** The most times that `--short` measures a subject. */
const SHORT_TRIALS = 3;

/**
 * Measures up to `trials` times, until every figure has met its target once. Other work on the machine can only worsen
 * a time or a ratio, so one good trial shows what the code can do. It cannot change a count, so a wrong count is final.
 */
async function untilHeld(trials: number, measure: () => Promise<Figure[]>): Promise<Figure[]> {
  let best = await measure();
  const mayImprove = () =>
    best.some(({ held }) => !held) && best.every(({ held, better }) => held || better !== "equal");
  for (let trial = 2; trial <= trials && mayImprove(); trial++) {
    const next = await measure();
    best = best.map((figure, index) =>
      figure.held && next[index]!.better !== "equal" ? figure : next[index]!
    );
  }
  return best;
}

export function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (!(minutes >= 1 && minutes < Infinity)) {
    throw new InvalidArgumentError("It must be a number of 1 or more");
  }
  return minutes;
}

/**
 * Measures the subjects that the program's arguments name, or all of them, and prints a table. Ends the process with
 * status 2 and the usage for an unknown subject or option.
 * @returns the figures, and whether they are of a whole run: every subject, in full size
 */
export async function runSubjects(
  { subjects, command }: Program,
): Promise<{ figures: Figure[]; whole: boolean }> {
  const program = new Command(command)
    .addArgument(new Argument("[subjects...]", "all if absent").choices(subjects.map(({ name }) => name)))
    .option("--short", "small sizes and tolerant ratios, as in CI", false)
    .option("--minutes <minutes>", "the duration of a subject that lasts minutes", parseMinutes)
    .showHelpAfterError()
    .exitOverride(({ exitCode }) => Deno.exit(exitCode === 0 ? 0 : 2))
    .parse(taskArguments(), { from: "user" });
  const { short, minutes } = program.opts();
  const chosen = program.args;
  const everything = chosen.length === 0;
  onInterrupt(closeOwnPostgres);

  const started = performance.now();
  const print = (line: string) =>
    console.log(`${`${Math.round((performance.now() - started) / 1000)} s`.padStart(5)}  ${line}`);
  const figures: Figure[] = [];
  for (const { name, title, measure } of subjects) {
    if (!everything && !chosen.includes(name)) continue;
    print(title);
    figures.push(
      ...await untilHeld(short ? SHORT_TRIALS : 1, async () => {
        const measurements = await measure({
          short,
          ...(minutes !== undefined && { minutes }),
          amongAll: everything,
          note: (line) => print(`  ${line}`),
        });
        return measurements.map((measurement) => ({
          ...measurement,
          held: isHeld(measurement, short ? (measurement.waits ? SHORT_WAITS : SHORT_TOLERANCE) : 1),
          command: `${command} ${name}`,
        }));
      }),
    );
  }
  console.log(`\n${tableOf(figures).join("\n")}`);
  return { figures, whole: everything && !short };
}
