import assert from "node:assert/strict";
import { makeSamples as makeSamplesBy, type Samples } from "../../bench/harness/samples.ts";
import { client } from "./client.ts";
import { openMailbox } from "./mailbox.ts";

export { makeOperation, neededQuery, withSampleIds } from "../../bench/harness/samples.ts";

/** Creates one record of each kind with a key, and validates each reply by its schema. */
export function makeSamples(key: string, stages: readonly { id: string }[]): Promise<Samples> {
  return makeSamplesBy(
    async (path, body) => {
      const reply = await client(key).post(path, body);
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    },
    stages,
    openMailbox().url,
  );
}
