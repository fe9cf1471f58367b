import { buildOpenApi } from '../../../kernel/catalogue/openapi.ts';
import type { Documented } from '../../../kernel/catalogue/operations.ts';
import { createDocumentationPage, type DocumentationPage } from '../../../kernel/page/page.ts';
import { version } from '../../../kernel/version.ts';
import { renderOverview } from './render-overview.ts';

/** The descriptions of the management API, made from its catalogue when first asked for. */
export interface Descriptions {
  /** The OpenAPI document, as JSON text. */
  openApiJson(): string;
  page(): DocumentationPage;
}

export interface DescriptionsOptions {
  readonly groups: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly catalogue: readonly Documented[];
}

const TITLE = 'Gateway Management API';
const DESCRIPTION = 'Manages projects, environments, secrets, users and settings of the gateway platform.';

export function createDescriptions({ groups, catalogue }: DescriptionsOptions): Descriptions {
  let openApiJson: string | undefined;
  let page: DocumentationPage | undefined;
  return {
    openApiJson() {
      openApiJson ??= `${JSON.stringify(
        buildOpenApi({ title: TITLE, version, description: DESCRIPTION, tags: groups, endpoints: catalogue }),
        null,
        2,
      )}\n`;
      return openApiJson;
    },
    page() {
      page ??= createDocumentationPage({
        title: TITLE,
        description: DESCRIPTION,
        groups,
        catalogue,
        renderOverview: (endpointCount, { baseUrl }) => renderOverview(TITLE, endpointCount, baseUrl),
      });
      return page;
    },
  };
}
