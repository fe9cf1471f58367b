import { bodyIntegrity } from './checks/body.ts';
import { brokenAnswers } from './checks/broken-answers.ts';
import { connections } from './checks/connections.ts';
import { contentType, encodingTest } from './checks/content.ts';
import { cookieHandling } from './checks/cookies.ts';
import { cors } from './checks/cors.ts';
import { messages } from './checks/messages.ts';
import { httpMethods } from './checks/methods.ts';
import { redirects } from './checks/redirects.ts';
import { requestHeaders } from './checks/request-headers.ts';
import { responseHeaders } from './checks/response-headers.ts';
import { security } from './checks/security.ts';
import { slowAnswers } from './checks/slow-answers.ts';
import { urlHandling } from './checks/urls.ts';
import type { CheckGroup } from './proxy-check.ts';

/** Everything that is asked of a proxy, in the order of the table. */
export const checkGroups: readonly CheckGroup[] = [
  bodyIntegrity,
  requestHeaders,
  responseHeaders,
  messages,
  cookieHandling,
  contentType,
  encodingTest,
  cors,
  urlHandling,
  httpMethods,
  redirects,
  brokenAnswers,
  connections,
  slowAnswers,
  security,
];
