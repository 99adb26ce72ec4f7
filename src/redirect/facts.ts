import type { PageEntry } from '../lookup/entry.ts';
import type { Address, Asks } from './address.ts';
import type { Facts } from './decide.ts';
import type { Visitor } from './visitor.ts';

/** The facts of one request. What is read from its headers is read when the decision asks for it. */
export class RequestFacts implements Facts {
  readonly now: number;
  readonly asks: Asks;
  readonly query: string;
  readonly traits: Visitor;
  isUsedUp = false;
  isUnlocked = false;
  page: PageEntry | undefined = undefined;
  passed: Facts['passed'] = 'no';
  clickId: string | undefined = undefined;

  constructor({ asks, query }: Address, visitor: Visitor, now: number) {
    this.now = now;
    this.asks = asks;
    this.query = query;
    this.traits = visitor;
  }

  get isSecure(): boolean {
    return this.traits.isSecure;
  }

  get isCrawler(): boolean {
    return this.traits.isCrawler;
  }

  get platform(): Facts['platform'] {
    return this.traits.platform;
  }
}
