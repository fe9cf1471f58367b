import type { TestbedEndpoint } from './endpoint.ts';
import { anything } from './groups/anything.ts';
import { authenticationCustom } from './groups/authentication-custom.ts';
import { authenticationHttpbin } from './groups/authentication-httpbin.ts';
import { badsslInfo } from './groups/badssl-info.ts';
import { cacheOrigin } from './groups/cache-origin.ts';
import { certificateDownload } from './groups/certificate-download.ts';
import { clientCertificate } from './groups/client-certificate.ts';
import { clientEdgeCaseStreams } from './groups/client-edge-case-streams.ts';
import { clientEdgeCaseTest } from './groups/client-edge-case-test.ts';
import { compressionHttpbin } from './groups/compression-httpbin.ts';
import { contact } from './groups/contact.ts';
import { cookies } from './groups/cookies.ts';
import { documentation } from './groups/documentation.ts';
import { dynamicData } from './groups/dynamic-data.ts';
import { echo } from './groups/echo.ts';
import { encodeDecode } from './groups/encode-decode.ts';
import { encodingTest } from './groups/encoding-test.ts';
import { fileUploadDownload } from './groups/file-upload-download.ts';
import { grpc } from './groups/grpc.ts';
import { httpMethods } from './groups/http-methods.ts';
import { images } from './groups/images.ts';
import { kubernetesEcho } from './groups/kubernetes-echo.ts';
import { proxyBodyIntegrity } from './groups/proxy-body-integrity.ts';
import { proxyConnectionRedirect } from './groups/proxy-connection-redirect.ts';
import { proxyContentTypeCharset } from './groups/proxy-content-type-charset.ts';
import { proxyCookieHandling } from './groups/proxy-cookie-handling.ts';
import { proxyCors } from './groups/proxy-cors.ts';
import { proxyHeaderPassthrough } from './groups/proxy-header-passthrough.ts';
import { proxyHttpMethods } from './groups/proxy-http-methods.ts';
import { proxyHttp2Faults } from './groups/proxy-http2-faults.ts';
import { proxySecurityTest } from './groups/proxy-security-test.ts';
import { proxyTimeoutSlowResponse } from './groups/proxy-timeout-slow-response.ts';
import { proxyUrlHandling } from './groups/proxy-url-handling.ts';
import { redirects } from './groups/redirects.ts';
import { requestCharsetTest } from './groups/request-charset-test.ts';
import { requestEncoding } from './groups/request-encoding.ts';
import { requestInspection } from './groups/request-inspection.ts';
import { responseFormats } from './groups/response-formats.ts';
import { soap } from './groups/soap.ts';
import { sse } from './groups/sse.ts';
import { statusCache } from './groups/status-cache.ts';
import { testUtilities } from './groups/test-utilities.ts';
import { userCrud } from './groups/user-crud.ts';
import { webSocket } from './groups/websocket.ts';

/** Every endpoint of the test service, group by group. */
export const testbedCatalogue: readonly TestbedEndpoint[] = [
  ...proxyBodyIntegrity,
  ...proxyHeaderPassthrough,
  ...statusCache,
  ...cacheOrigin,
  ...proxyCookieHandling,
  ...clientCertificate,
  ...fileUploadDownload,
  ...httpMethods,
  ...dynamicData,
  ...responseFormats,
  ...requestCharsetTest,
  ...cookies,
  ...badsslInfo,
  ...certificateDownload,
  ...proxyContentTypeCharset,
  ...proxyCors,
  ...sse,
  ...proxyConnectionRedirect,
  ...proxyHttp2Faults,
  ...clientEdgeCaseTest,
  ...clientEdgeCaseStreams,
  ...userCrud,
  ...redirects,
  ...compressionHttpbin,
  ...contact,
  ...authenticationHttpbin,
  ...requestEncoding,
  ...echo,
  ...proxyTimeoutSlowResponse,
  ...testUtilities,
  ...soap,
  ...grpc,
  ...webSocket,
  ...encodeDecode,
  ...proxySecurityTest,
  ...anything,
  ...encodingTest,
  ...images,
  ...authenticationCustom,
  ...proxyUrlHandling,
  ...proxyHttpMethods,
  ...requestInspection,
  ...kubernetesEcho,
  ...documentation,
];
