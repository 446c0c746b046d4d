interface Stage {
  id: string;
  deals: readonly { id: string }[];
}

/** Maps the id of each card to the id of its stage. */
export type Places = ReadonlyMap<string, string>;

export function placesOf(stages: readonly Stage[]): Places {
  return new Map(stages.flatMap(({ id, deals }) => deals.map((deal) => [deal.id, id] as const)));
}

/**
 * The cards that are new or changed their stage since the previous reply; none in the first reply. A reply has the
 * newest 50 cards of each stage. A card that appears at the end may only have moved up into the 50: it is not new.
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
