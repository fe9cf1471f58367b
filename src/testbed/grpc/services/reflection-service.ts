import { bidi, type Message, type ServiceMethods } from '../call.ts';
import { describeSchema } from '../descriptors.ts';
import type { Schema } from '../schema.ts';
import { grpcCodes } from '../status.ts';

/** The question is the member that is present. */
interface ReflectionRequest {
  readonly host: string;
  readonly fileByFilename?: string;
  readonly fileContainingSymbol?: string;
  readonly fileContainingExtension?: { readonly containingType: string; readonly extensionNumber: number };
  readonly allExtensionNumbersOfType?: string;
  readonly listServices?: string;
}

/** grpc.reflection, whose versions v1 and v1alpha differ in their package alone. */
export function reflectionService(schema: Schema): ServiceMethods {
  const descriptors = describeSchema(schema);

  const answerTo = (request: ReflectionRequest): Message => {
    const asks = (member: keyof ReflectionRequest) => Object.hasOwn(request, member);
    if (asks('listServices'))
      return { listServicesResponse: { service: schema.serviceNames.map((name) => ({ name })) } };
    if (asks('fileByFilename'))
      return fileOr(descriptors.fileNamed(request.fileByFilename!), `file ${request.fileByFilename}`);
    if (asks('fileContainingSymbol')) {
      const symbol = request.fileContainingSymbol!;
      return fileOr(descriptors.fileContaining(symbol.replace(/^\./, '')), `symbol ${symbol}`);
    }
    if (asks('fileContainingExtension'))
      return notFound(`extension of ${request.fileContainingExtension!.containingType}`);
    if (asks('allExtensionNumbersOfType')) {
      // No message here has extensions; an unknown message is told apart from one without.
      const baseTypeName = request.allExtensionNumbersOfType!;
      return descriptors.hasMessage(baseTypeName)
        ? { allExtensionNumbersResponse: { baseTypeName } }
        : notFound(`message ${baseTypeName}`);
    }
    const { INVALID_ARGUMENT: errorCode } = grpcCodes;
    return { errorResponse: { errorCode, errorMessage: 'the request asks for nothing' } };
  };

  return {
    ServerReflectionInfo: bidi(async function* (requests: AsyncIterable<ReflectionRequest>) {
      for await (const request of requests)
        yield { validHost: request.host, originalRequest: request, ...answerTo(request) };
    }),
  };
}

function fileOr(fileDescriptorProto: Buffer | undefined, what: string): Message {
  return fileDescriptorProto
    ? { fileDescriptorResponse: { fileDescriptorProto: [fileDescriptorProto] } }
    : notFound(what);
}

function notFound(what: string): Message {
  return { errorResponse: { errorCode: grpcCodes.NOT_FOUND, errorMessage: `there is no ${what}` } };
}
