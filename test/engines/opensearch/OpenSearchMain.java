import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.codelibs.opensearch.runner.OpenSearchRunner;
import org.opensearch.http.HttpServerTransport;

/**
 * One real OpenSearch node on a port chosen by the system, empty, with its files under the folder that is named; says
 * the port, and ends when its standard input does.
 */
public class OpenSearchMain {
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        PrintStream answers = System.out;
        // Standard output belongs to the port alone.
        System.setOut(System.err);
        OpenSearchRunner runner = new OpenSearchRunner();
        runner.onBuild((number, settings) -> {
            settings.put("http.port", "0");
            settings.put("transport.port", "0");
            settings.put("network.host", "127.0.0.1");
            settings.put("discovery.type", "single-node");
            // How full the disk of the test machine is must not block anything.
            settings.put("cluster.routing.allocation.disk.threshold_enabled", false);
            // The suites make many small indices.
            settings.put("cluster.max_shards_per_node", 10000);
        }).build(OpenSearchRunner.newConfigs().basePath(folder.toString()).numOfNode(1).clusterName("gatehouse-test"));
        runner.ensureYellow();
        HttpServerTransport http = runner.node().injector().getInstance(HttpServerTransport.class);
        answers.println("port " + http.boundAddress().publishAddress().getPort());
        answers.flush();
        while (System.in.read() >= 0) {
        }
        // Nothing on the disk is worth an orderly end.
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException | UncheckedIOException error) {
            // It is still at work on its files; whoever started it removes the rest.
        }
        Runtime.getRuntime().halt(0);
    }
}
