import { describe } from '../api/error.ts';
import { toast } from './toasts.tsx';

/** Reports the failure of a write that no form shows. */
export const toastError = (error: unknown): void => toast(describe(error), 'danger');
