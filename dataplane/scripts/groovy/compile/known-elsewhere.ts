/** Classes of the packages that need no import which exist in Java or Groovy and not here; a script that names one is refused. */
export const KNOWN_ELSEWHERE: ReadonlySet<string> = new Set(
  (
    'AbstractFactory AbstractMethodError AbstractQueue AbstractSequentialList AdaptingMetaClass Authenticator BenchmarkInterceptor BindException BitSet ' +
    'BootstrapMethodError BufferedInputStream BufferedIterator BufferedOutputStream BufferedWriter Buildable BuilderSupport CacheRequest CacheResponse ' +
    'CharArrayReader CharArrayWriter CharConversionException CharsetToolkit ClassCircularityError ClassFormatError ClassLoader ClassValue ClosureComparator ' +
    'ClosureException ClosureInvokingMethod Compiler ConfigBinding ConfigObject ConfigSlurper Console ContentHandler ContentHandlerFactory CookieHandler ' +
    'CookieManager CookiePolicy CookieStore Currency DataInput DataInputStream DataOutput DataOutputStream DatagramPacket DatagramSocket DatagramSocketImpl ' +
    'DatagramSocketImplFactory DelegatesTo DelegatingMetaClass DelegatingScript DeprecationException Dictionary DoubleSummaryStatistics ' +
    'EnumConstantNotPresentException EnumMap EnumSet EventListener EventListenerProxy EventObject Expando ExpandoMetaClass ' +
    'ExpandoMetaClassCreationHandle Externalizable Factory FactoryBuilderSupport FactoryInterceptorMetaClass File FileDescriptor FileFilter FileInputStream ' +
    'FileNameByRegexFinder FileNameMap FileOutputStream FilePermission FileReader FileTreeBuilder FileWriter FilenameFilter FilterInputStream ' +
    'FilterOutputStream FilterReader FilterWriter Flushable Formattable FormattableFlags Formatter FormatterClosedException GeneratedGroovyProxy ' +
    'GroovyCallable GroovyClassLoader GroovyCodeSource GroovyCollections GroovyInterceptable GroovyObjectSupport GroovyResourceLoader GroovyScriptEngine ' +
    'HexFormat HttpCookie HttpRetryException HttpURLConnection IDN IFileNameFinder IOError IdentityHashMap IllegalAccessError ' +
    'IllegalAccessException IllegalCallerException IllegalFormatCodePointException IllegalFormatWidthException IllegalPropertyAccessException ' +
    'IllegalThreadStateException IllformedLocaleException IncorrectClosureArgumentsException IndentPrinter Inet4Address Inet6Address InetAddress ' +
    'InetSocketAddress InheritableThreadLocal InstantiationError IntSummaryStatistics Interceptor InterfaceAddress InternalError InterruptedIOException ' +
    'InvalidClassException InvalidObjectException InvalidPropertiesFormatException JarURLConnection LayerInstantiationException LineNumberInputStream ' +
    'LineNumberReader ListResourceBundle ListWithDefault LongSummaryStatistics MetaArrayLengthProperty MetaBeanProperty MetaClassImpl ' +
    'MetaClassRegistryChangeEvent MetaClassRegistryChangeEventListener MetaExpandoProperty MetaMethod MetaObjectProtocol MetaProperty MissingClassException ' +
    'MissingFieldException Module ModuleLayer MulticastSocket MutableMetaClass NamedValue NavigableMap NavigableSet NetPermission NetworkInterface ' +
    'NoRouteToHostException NoSuchFieldError NoSuchMethodError Node NodeBuilder NodeList NodePrinter NonEmptySequence NotActiveException ' +
    'NotSerializableException ObjectGraphBuilder ObjectInput ObjectInputFilter ObjectInputStream ObjectInputValidation ObjectOutput ObjectOutputStream ' +
    'ObjectStreamClass ObjectStreamConstants ObjectStreamException ObjectStreamField Observable ObservableList ObservableMap ObservableSet Observer ' +
    'OptionalDataException OptionalDouble OptionalInt OptionalLong OrderBy OutputStreamWriter PasswordAuthentication PipedInputStream PipedOutputStream ' +
    'PipedReader PipedWriter PortUnreachableException PrimitiveIterator PrintWriter Process ProcessBuilder ProcessHandle PropertyAccessInterceptor ' +
    'PropertyPermission PropertyResourceBundle PropertyValue ProtocolException ProtocolFamily Proxy ProxyGenerator ProxyMetaClass ProxySelector ' +
    'PushbackInputStream PushbackReader RandomAccessFile Readable Record Reference ResourceBundle ResourceConnector ResourceException ResponseCache Runtime ' +
    'RuntimePermission Scanner ScriptException SecureCacheResponse SecurityManager Sequence SequenceInputStream Serial SerializablePermission ServerSocket ' +
    'ServiceConfigurationError ServiceLoader SimpleTimeZone Socket SocketAddress SocketImpl SocketImplFactory SocketOption SocketOptions SocketPermission ' +
    'Spliterator Spliterators SplittableRandom SpreadListEvaluatingException SpreadMapEvaluatingException StackWalker StandardProtocolFamily ' +
    'StandardSocketOptions StreamCorruptedException StreamTokenizer StrictMath StringBufferInputStream StringWriterIOException SyncFailedException ' +
    'ThreadDeath ThreadGroup ThreadLocal Timer TimerTask TooManyListenersException TracingInterceptor TrampolineClosure TypeNotPresentException ' +
    'URLClassLoader URLConnection URLPermission URLStreamHandler URLStreamHandlerFactory UTFDataFormatException UnixDomainSocketAddress UnknownError ' +
    'UnknownFormatFlagsException UnknownServiceException UnsatisfiedLinkError UnsupportedClassVersionError VerifyError VirtualMachineError ' +
    'WriteAbortedException XmlParser XmlSlurper'
  ).split(' '),
);

/** Classes within classes that are here, which exist in Java or Groovy and not here. */
export const NESTED_ELSEWHERE: ReadonlySet<string> = new Set(
  (
    'groovy.json.JsonGenerator$Converter groovy.json.StreamingJsonBuilder$StreamingJsonDelegate ' +
    'groovy.lang.MetaClassRegistry$MetaClassCreationHandle java.lang.Character$Subset java.lang.Character$UnicodeBlock ' +
    'java.lang.Character$UnicodeScript java.lang.Enum$EnumDesc java.lang.System$Logger java.lang.System$LoggerFinder java.lang.Thread$State ' +
    'java.lang.Thread$UncaughtExceptionHandler java.text.DateFormat$Field java.text.NumberFormat$Field java.text.NumberFormat$Style ' +
    'java.util.Calendar$Builder java.util.Locale$Builder java.util.Locale$Category java.util.Locale$FilteringMode java.util.Locale$IsoCountryCode ' +
    'java.util.Locale$LanguageRange java.util.concurrent.ConcurrentHashMap$KeySetView java.util.stream.Collector$Characteristics ' +
    'java.util.stream.DoubleStream$Builder java.util.stream.DoubleStream$DoubleMapMultiConsumer java.util.stream.IntStream$Builder ' +
    'java.util.stream.IntStream$IntMapMultiConsumer java.util.stream.LongStream$Builder java.util.stream.LongStream$LongMapMultiConsumer ' +
    'java.util.stream.Stream$Builder org.forgerock.http.protocol.Cookie$SameSite org.forgerock.http.routing.UriRouterContext$Builder ' +
    'org.forgerock.services.context.ClientContext$Builder'
  ).split(' '),
);
