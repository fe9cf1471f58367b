import type { TestbedEndpoint } from '../endpoint.ts';
import { hostileDocumentEndpoints } from './proxy-security-test/hostile-documents.ts';
import { problemEndpoints } from './proxy-security-test/problems.ts';
import { rateLimitEndpoints } from './proxy-security-test/rate-limit.ts';
import { reflectionEndpoints } from './proxy-security-test/reflection.ts';
import { smugglingEndpoints } from './proxy-security-test/smuggling.ts';
import { wafProbeEndpoints } from './proxy-security-test/waf-probes.ts';

export const proxySecurityTest: readonly TestbedEndpoint[] = [
  ...hostileDocumentEndpoints,
  ...reflectionEndpoints,
  ...rateLimitEndpoints,
  ...problemEndpoints,
  ...wafProbeEndpoints,
  ...smugglingEndpoints,
];
