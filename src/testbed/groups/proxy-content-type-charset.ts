import type { TestbedEndpoint } from '../endpoint.ts';
import { charsetTests } from './proxy-content-type-charset/charsets.ts';
import { echo } from './proxy-content-type-charset/echo.ts';
import { fieldFormTests } from './proxy-content-type-charset/field-forms.ts';
import { formatTests } from './proxy-content-type-charset/formats.ts';
import { multipartTests } from './proxy-content-type-charset/multipart.ts';
import { negotiate } from './proxy-content-type-charset/negotiate.ts';

export const proxyContentTypeCharset: readonly TestbedEndpoint[] = [
  ...charsetTests,
  ...fieldFormTests,
  negotiate,
  ...multipartTests,
  ...formatTests,
  echo,
];
