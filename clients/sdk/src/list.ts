/** One page of a list. A list without pages has no `meta`. */
export interface PageOf<Item> {
  data: Item[];
  meta?: { next_cursor: string | null; has_more: boolean };
}

/** Records per page when all pages are read without a `limit`: the API's maximum. */
const LARGEST_PAGE = 200;

/** The size of a page, and the cursor at which it begins. */
interface Position {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/**
 * A list, which makes no call until you read it. Read it record by record with `for await`, or with `page()`,
 * `pages()` or `toArray()`.
 *
 * ```ts
 * for await (const contact of crm.contacts.list({ company_id })) console.log(contact.name);
 * ```
 */
export class List<Item, Page extends PageOf<Item> = PageOf<Item>> implements AsyncIterable<Item> {
  readonly #read: (position: Position) => Promise<Page>;
  readonly #position: Position;

  constructor(read: (position: Position) => Promise<Page>, { limit, cursor }: Position = {}) {
    this.#read = read;
    this.#position = { limit, cursor };
  }

  /** Reads one page: the first, or the page at `cursor`. */
  page(): Promise<Page> {
    return this.#read(this.#position);
  }

  /** Reads page by page; a page has at most `limit` records, 200 by default. Even an empty page may not be the last. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let position: Position = { ...this.#position, limit: this.#position.limit ?? LARGEST_PAGE };
    for (;;) {
      const page = await this.#read(position);
      yield page;
      if (!page.meta?.has_more || page.meta.next_cursor === null) return;
      position = { ...position, cursor: page.meta.next_cursor };
    }
  }

  /** Reads record by record. Reads no further page after the caller leaves the loop. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Reads all records into memory. */
  async toArray(): Promise<Item[]> {
    const records: Item[] = [];
    for await (const record of this) records.push(record);
    return records;
  }
}
