import { describe } from '../api/error.ts';
import { toast } from './toasts.tsx';

/** Shows the description of an error as a message. */
export const toastError = (error: unknown): void => toast(describe(error), 'danger');
