import { spawnSync } from 'node:child_process';

/** Priorities of rules of routing, before which the kernel delivers to its own addresses. */
const CUTS = 1;
const OWN_ADDRESSES = 5;

/** Connections from one account to ports of this machine, or all that end there. */
interface Cut {
  ports: readonly number[];
  /** Number of the account whose packets are dropped; without it, those of all, and the answers. */
  from?: number;
}

function ip(...args: string[]): boolean {
  return spawnSync('ip', args, { encoding: 'utf8' }).status === 0;
}

/**
 * Cuts connections within this machine as a network would: packets are dropped without a word. The kernel drops them by
 * rules of routing, which need no other tool, and are asked before those of its own addresses while this is open.
 */
export class Network {
  /** False where this account may not change rules. */
  readonly isOpen: boolean;

  constructor() {
    // A run that was killed has left its own.
    if (ip('rule', 'del', 'pref', String(OWN_ADDRESSES)))
      ip('rule', 'add', 'pref', '0', 'lookup', 'local');
    this.isOpen = ip('rule', 'add', 'pref', String(OWN_ADDRESSES), 'lookup', 'local');
    if (this.isOpen) ip('rule', 'del', 'pref', '0', 'lookup', 'local');
  }

  /** @returns ends it */
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
