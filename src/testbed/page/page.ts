import type { Documented } from '../../kernel/catalogue/operations.ts';
import { createDocumentationPage, type DocumentationPage } from '../../kernel/page/page.ts';
import { groupsOf } from '../../kernel/page/page-context.ts';
import { version } from '../../kernel/version.ts';
import type { TestbedSettings } from '../settings.ts';
import { renderOverview } from './render-overview.ts';

export interface TestbedPageOptions {
  readonly groups: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly catalogue: readonly Documented[];
  readonly settings: TestbedSettings;
}

export interface TestbedPage extends DocumentationPage {
  /** The same in short, for programs. */
  index(baseUrl: string): object;
}

const TITLE = 'Gateway Test Service';

export function createPage({ groups, catalogue, settings }: TestbedPageOptions): TestbedPage {
  const page = createDocumentationPage({
    title: TITLE,
    description: 'The endpoints of the gateway test service: described, searchable, with curl lines.',
    groups,
    catalogue,
    renderOverview: (endpointCount, { baseUrl }) => renderOverview(endpointCount, baseUrl, settings),
  });
  return {
    ...page,
    index: (baseUrl) => ({
      title: TITLE,
      version,
      documentation: `${baseUrl}/`,
      openapi: `${baseUrl}/openapi.json`,
      wadl: `${baseUrl}/v2/application.wadl`,
      groups: groupsOf(groups, catalogue).map(({ name, purpose, slug, endpoints }) => ({
        name,
        purpose,
        endpoints: endpoints.length,
        documentation: `${baseUrl}/#${slug}`,
      })),
    }),
  };
}
