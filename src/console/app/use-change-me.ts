import { useMutation } from '@tanstack/react-query';
import { keys } from '../api/keys.ts';
import { people } from '../api/people.ts';
import { toast } from '../ui/toasts.tsx';
import { meQuery, personClient } from './session.ts';

/**
 * Changes the signed-in person.
 *
 * @param done success message
 */
export const useChangeMe = (done: string, onDone?: () => void) =>
  useMutation(
    {
      mutationFn: people.changeMe,
      onSuccess: (me) => {
        personClient.setQueryData(meQuery.queryKey, me);
        void personClient.invalidateQueries({ queryKey: keys.sessions.all });
        toast(done);
        onDone?.();
      },
    },
    personClient,
  );
