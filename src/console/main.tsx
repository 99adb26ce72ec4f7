import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router.tsx';
import { personClient } from './app/session.ts';
import './styles.css';
import { OpenDialogs } from './ui/open-dialogs.tsx';
import { Toasts } from './ui/toasts.tsx';

/** Dialogs beside the views can have links too. */
const WithDialogs = ({ children }: { children: ReactNode }) => (
  <>
    {children}
    <OpenDialogs />
  </>
);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={personClient}>
      <RouterProvider router={router} InnerWrap={WithDialogs} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
