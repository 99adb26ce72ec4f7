import type { Request, Response } from 'express';
import { Refusal } from '../errors.ts';
import type { Route } from '../http/route.ts';
import { asksForPrivacy } from '../visitors/privacy.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { allowPage } from './cors.ts';

/*
 * Everybody can read a publishable key in a web page. Its origins keep pages of other sites from
 * using it, since browsers send the true Origin. Other programs can send any Origin, so a request
 * with such a key must do nothing that an unknown visitor may not do.
 */

/** Maximum number of characters of an origin that a message repeats. */
const SHOWN_LENGTH = 300;

/** Lets the page that sent a request with a publishable key read the response, if it is listed. */
export function allowListedOrigin(
  { origins }: Pick<Caller, 'origins'>,
  request: Request,
  response: Response,
): void {
  response.vary('Origin');
  const origin = request.get('origin');
  if (origin !== undefined && origins?.includes(origin) === true) allowPage(response, origin);
}

/** The refusal of a publishable key where only secret keys are accepted. */
export const needsSecretKey = (): Refusal =>
  new Refusal(
    'forbidden',
    'A publishable key can only send POST /track/lead and POST /track/sale: use a secret key',
  );

/**
 * Refuses requests with a publishable key that are not for pages, that come from another page, or
 * whose visitor asks for privacy.
 *
 * @throws Refusal `forbidden`
 */
export function refuseOtherPages(
  { origins }: Pick<Caller, 'origins'>,
  { isForPages }: Pick<Route, 'isForPages'>,
  request: Request,
): void {
  if (origins === null) return;
  if (isForPages !== true) throw needsSecretKey();
  const origin = request.get('origin');
  if (origin === undefined) {
    throw new Refusal(
      'forbidden',
      'A publishable key is for web pages, whose browser sends the header Origin: use a secret key',
    );
  }
  if (!origins.includes(origin)) {
    throw new Refusal(
      'forbidden',
      `The page must be of one of the origins of the key, not ${origin.slice(0, SHOWN_LENGTH)}`,
    );
  }
  if (asksForPrivacy(request.headers)) {
    throw new Refusal(
      'forbidden',
      'The visitor asks not to be tracked (Sec-GPC or DNT): nothing was recorded',
    );
  }
}
