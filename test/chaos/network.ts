import { spawnSync } from 'node:child_process';

/**
 * Priorities of routing rules; the kernel checks lower numbers first, before its rule for local
 * addresses.
 */
const CUTS = 1;
const OWN_ADDRESSES = 5;

/** Ports to disconnect, for one account or for all. */
interface Cut {
  ports: readonly number[];
  /**
   * Id of the account whose packets are dropped; if absent, packets of all accounts and their
   * answers are dropped.
   */
  from?: number;
}

function ip(...args: string[]): boolean {
  return spawnSync('ip', args, { encoding: 'utf8' }).status === 0;
}

/**
 * Drops packets between processes of this machine, as a failed network would. The kernel drops them
 * by routing rules, which need no other tool. While this is open, those rules precede the rule for
 * local addresses.
 */
export class Network {
  /** False if this account cannot change routing rules. */
  readonly isOpen: boolean;

  constructor() {
    // A killed run has left its rule behind.
    if (ip('rule', 'del', 'pref', String(OWN_ADDRESSES)))
      ip('rule', 'add', 'pref', '0', 'lookup', 'local');
    this.isOpen = ip('rule', 'add', 'pref', String(OWN_ADDRESSES), 'lookup', 'local');
    if (this.isOpen) ip('rule', 'del', 'pref', '0', 'lookup', 'local');
  }

  /**
   * Disconnects ports.
   * @returns a function that ends the disconnection
   */
  cut({ ports, from }: Cut): () => void {
    const rules = ports.flatMap((port) => {
      const to = ['ipproto', 'tcp', 'dport', String(port), 'blackhole'];
      if (from !== undefined) return [['uidrange', `${from}-${from}`, ...to]];
      return [to, ['ipproto', 'tcp', 'sport', String(port), 'blackhole']];
    });
    for (const rule of rules) ip('rule', 'add', 'pref', String(CUTS), ...rule);
    return () => {
      for (const rule of rules) ip('rule', 'del', 'pref', String(CUTS), ...rule);
    };
  }

  close(): void {
    if (!this.isOpen) return;
    while (ip('rule', 'del', 'pref', String(CUTS)));
    ip('rule', 'add', 'pref', '0', 'lookup', 'local');
    ip('rule', 'del', 'pref', String(OWN_ADDRESSES));
  }
}
