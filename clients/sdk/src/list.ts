/** One page of a list. A list without pages has no `meta`. */
export interface PageOf<Item> {
  data: Item[];
  meta?: { next_cursor: string | null; has_more: boolean };
}

/** Records in a page when all pages are read: the API's maximum. */
const LARGEST_PAGE = 200;

/** Where a page begins, and its size. */
interface Position {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/**
 * A list. It makes no call until it is read: record by record with `for await`, by `page()`, `pages()` or `toArray()`.
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

  /** Reads one page: the first, or the one that `cursor` begins. */
  page(): Promise<Page> {
    return this.#read(this.#position);
  }

  /** Reads page by page, 200 records each unless `limit` says otherwise. A page may be empty and not the last. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let position: Position = { ...this.#position, limit: this.#position.limit ?? LARGEST_PAGE };
    for (;;) {
      const page = await this.#read(position);
      yield page;
      if (!page.meta?.has_more || page.meta.next_cursor === null) return;
      position = { ...position, cursor: page.meta.next_cursor };
    }
  }

  /** Reads record by record; leaving the loop reads no further page. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Reads everything into memory. */
  async toArray(): Promise<Item[]> {
    const records: Item[] = [];
    for await (const record of this) records.push(record);
    return records;
  }
}
