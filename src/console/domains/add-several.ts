import { useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../api/client.ts';
import { ApiError, describe } from '../api/error.ts';
import { inWords } from '../api/error-words.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { createRecord } from '../app/changes.ts';
import { useWorkspace } from '../app/workspace.tsx';

/** A domain that was not added. */
interface RefusedDomain {
  slug: string;
  /** A sentence for people. */
  reason: string;
}

interface Several {
  slugs: readonly string[];
  /** The settings that all of them get. */
  body: Omit<Schemas['NewDomain'], 'slug'>;
}

/**
 * Adds domains one after the other, and goes on after a refusal.
 *
 * @param onDone called with the domains that were refused
 */
export function useSeveralDomains(onDone: (refused: readonly RefusedDomain[]) => void) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  return useWrite({
    async send({ slugs, body }: Several, key) {
      const refused: RefusedDomain[] = [];
      for (const [place, slug] of slugs.entries()) {
        try {
          // A retry of all has the same keys, so what exists is not refused.
          await createRecord(api, '/domains', { ...body, slug }, `${key}-${place}`);
        } catch (error) {
          if (!(error instanceof ApiError) || error.isPassing) throw error;
          const atField = error.fields['slug'];
          const reason =
            atField === undefined ? describe(error) : `${slug}: ${inWords(atField, 'Domain')}`;
          refused.push({ slug, reason });
        }
      }
      return refused;
    },
    onDone(refused) {
      void client.invalidateQueries({ queryKey: keys.domains.all });
      onDone(refused);
    },
  });
}
