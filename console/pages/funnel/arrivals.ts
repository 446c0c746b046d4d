/** The part of a stage that is needed here. */
interface Stage {
  id: string;
  deals: readonly { id: string }[];
}

/** The stage of each card in the previous reply. */
export type Places = ReadonlyMap<string, string>;

/** The stage of each card. */
export function placesOf(stages: readonly Stage[]): Places {
  return new Map(stages.flatMap(({ id, deals }) => deals.map((deal) => [deal.id, id] as const)));
}

/**
 * The cards that are new or changed their stage since the previous reply; none in the first reply. A stage lists its
 * newest 50 cards: a card at the end of the list may only have moved up into the 50, and is not announced as new.
 */
export function arrivals(before: Places | null, stages: readonly Stage[]): ReadonlySet<string> {
  const arrived = new Set<string>();
  if (before === null) return arrived;
  for (const { id: stage, deals } of stages) {
    const known = deals.map(({ id }) => before.get(id) === stage);
    const last = known.lastIndexOf(true);
    deals.forEach(({ id }, i) => {
      if (!known[i] && (last === -1 || i < last || before.has(id))) arrived.add(id);
    });
  }
  return arrived;
}
