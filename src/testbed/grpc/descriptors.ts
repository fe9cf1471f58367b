import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';
import { nameOf, type Schema, type SchemaFile } from './schema.ts';

/** What reflection tells of the schema. */
export interface Descriptors {
  /** The encoded FileDescriptorProto of a file. */
  fileNamed(name: string): Buffer | undefined;
  /** That of the file in which a service, method, message, field or enum stands. */
  fileContaining(symbol: string): Buffer | undefined;
  hasMessage(name: string): boolean;
}

/**
 * Descriptors as protoc writes them. protobufjs can write some by itself, but with relative type names and with map
 * entries under names that strict readers refuse.
 */
export function describeSchema({ files }: Schema): Descriptors {
  const byName = new Map<string, Buffer>();
  const bySymbol = new Map<string, Buffer>();
  const messages = new Set<string>();
  for (const file of files) {
    const bytes = Buffer.from(descriptor.FileDescriptorProto.encode(describeFile(file)).finish());
    byName.set(file.name, bytes);
    for (const object of everythingIn(file.namespace)) {
      bySymbol.set(nameOf(object), bytes);
      if (object instanceof protobuf.Type) messages.add(nameOf(object));
    }
  }
  return {
    fileNamed: (name) => byName.get(name),
    fileContaining: (symbol) => bySymbol.get(symbol),
    hasMessage: (name) => messages.has(name),
  };
}

function* everythingIn(namespace: protobuf.NamespaceBase): Generator<protobuf.ReflectionObject> {
  for (const object of namespace.nestedArray) {
    // A package within a package is described by a file of its own.
    if (object instanceof protobuf.Type || object instanceof protobuf.Service) {
      yield object;
      yield* everythingIn(object);
    } else if (object instanceof protobuf.Enum) yield object;
  }
  if (namespace instanceof protobuf.Type) yield* namespace.fieldsArray;
  if (namespace instanceof protobuf.Service) yield* namespace.methodsArray;
}

function describeFile({ name, packageName, imports, syntax, namespace }: SchemaFile) {
  const { types, enums, services } = partsOf(namespace);
  return {
    name,
    package: packageName,
    dependency: [...imports],
    messageType: types.map(describeType),
    enumType: enums.map(describeEnum),
    service: services.map(describeService),
    // protoc leaves proto2 unsaid.
    ...(syntax === 'proto3' && { syntax }),
  };
}

function partsOf({ nestedArray }: protobuf.NamespaceBase) {
  return {
    types: nestedArray.filter((one) => one instanceof protobuf.Type),
    enums: nestedArray.filter((one) => one instanceof protobuf.Enum),
    services: nestedArray.filter((one) => one instanceof protobuf.Service),
  };
}

function describeType(type: protobuf.Type): descriptor.IDescriptorProto {
  const { types, enums } = partsOf(type);
  const mapFields = type.fieldsArray.filter((field) => field instanceof protobuf.MapField);
  return {
    name: type.name,
    field: type.fieldsArray.map((field) => describeField(field, type)),
    nestedType: [...types.map(describeType), ...mapFields.map(describeMapEntry)],
    enumType: enums.map(describeEnum),
    oneofDecl: type.oneofsArray.map(({ name }) => ({ name: snakeCase(name) })),
  };
}

const OPTIONAL = 1;
const REQUIRED = 2;
const REPEATED = 3;

function describeField(field: protobuf.Field, type: protobuf.Type): descriptor.IFieldDescriptorProto {
  const isMap = field instanceof protobuf.MapField;
  return {
    name: field.protoName ?? field.name,
    jsonName: field.jsonName ?? field.name,
    number: field.id,
    label: isMap || field.repeated ? REPEATED : field.required ? REQUIRED : OPTIONAL,
    ...(isMap ? { type: TYPE_MESSAGE, typeName: `${type.fullName}.${entryName(field)}` } : typeOf(field)),
    ...(field.partOf && { oneofIndex: type.oneofsArray.indexOf(field.partOf) }),
  };
}

/** A map is a repeated message of keys and values. */
function describeMapEntry(field: protobuf.MapField): descriptor.IDescriptorProto {
  return {
    name: entryName(field),
    field: [
      { name: 'key', jsonName: 'key', number: 1, label: OPTIONAL, type: scalarTypes[field.keyType]! },
      { name: 'value', jsonName: 'value', number: 2, label: OPTIONAL, ...typeOf(field) },
    ],
    options: { mapEntry: true },
  };
}

function entryName({ name }: protobuf.FieldBase): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}Entry`;
}

const TYPE_MESSAGE = 11;
const TYPE_ENUM = 14;

/** FieldDescriptorProto.Type by the words of .proto files. */
const scalarTypes: Readonly<Record<string, number>> = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  bytes: 12,
  uint32: 13,
  sfixed32: 15,
  sfixed64: 16,
  sint32: 17,
  sint64: 18,
};

function typeOf({ type, resolvedType }: protobuf.FieldBase): { type: number; typeName?: string } {
  if (!resolvedType) return { type: scalarTypes[type]! };
  const isEnum = resolvedType instanceof protobuf.Enum;
  return { type: isEnum ? TYPE_ENUM : TYPE_MESSAGE, typeName: resolvedType.fullName };
}

function describeEnum({ name, values }: protobuf.Enum): descriptor.IEnumDescriptorProto {
  return { name, value: Object.entries(values).map(([one, number]) => ({ name: one, number })) };
}

function describeService({ name, methodsArray }: protobuf.Service): descriptor.IServiceDescriptorProto {
  return {
    name,
    method: methodsArray.map((method) => ({
      name: method.name,
      inputType: method.resolvedRequestType!.fullName,
      outputType: method.resolvedResponseType!.fullName,
      clientStreaming: method.requestStream || undefined,
      serverStreaming: method.responseStream || undefined,
    })),
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
