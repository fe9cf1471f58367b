/** The tags of an If-Match or If-None-Match field without quotes and weakness; also those sent without quotes. */
export function entityTags(field: string | undefined): string[] {
  if (field === undefined) return [];
  return [...field.matchAll(/(?:W\/)?(?:"([^"]*)"|([^",\s]+))/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  );
}
