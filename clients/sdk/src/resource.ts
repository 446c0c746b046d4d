import type { Http } from "./http.ts";

/** The operations of one resource. */
export abstract class Resource {
  protected readonly http: Http;

  constructor(http: Http) {
    this.http = http;
  }
}
