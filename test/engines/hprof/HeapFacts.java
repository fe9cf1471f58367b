import java.io.File;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.PrimitiveArrayInstance;

/** Opens a heap dump with VisualVM's library and says what it finds, one `name=value` a line. */
public class HeapFacts {
  public static void main(String[] arguments) throws Exception {
    Heap heap = HeapFactory.createHeap(new File(arguments[0]));
    say("instances", heap.getSummary().getTotalLiveInstances());
    say("bytes", heap.getSummary().getTotalLiveBytes());
    say("roots", heap.getGCRoots().size());

    JavaClass triple = heap.getJavaClassByName("KnownTriple");
    say("triple.instances", triple.getInstancesCount());
    say("triple.fields", triple.getFields().size());
    say("triple.super", triple.getSuperClass().getName());
    say("triple.retained", triple.getRetainedSizeByClass());

    Instance holder = (Instance) heap.getJavaClassByName("KnownHolder").getInstances().get(0);
    Instance first = (Instance) triple.getInstances().get(0);
    say("triple.serial.class", ((Instance) first.getValueOfField("serial")).getJavaClass().getName());
    say("triple.reachable", first.getNearestGCRootPointer() != null);
    Instance fraction = (Instance) holder.getValueOfField("fraction");
    say("fraction", fraction.getValueOfField("value"));
    Instance text = (Instance) holder.getValueOfField("megabyte");
    say("megabyte.class", text.getJavaClass().getName());
    PrimitiveArrayInstance value = (PrimitiveArrayInstance) text.getValueOfField("value");
    say("megabyte.length", value.getLength());
    say("megabyte.begins", value.getValues().get(0) + "," + value.getValues().get(1));

    long strings = 0;
    for (Object one : heap.getJavaClassByName("java.lang.String").getInstances()) {
      Instance string = (Instance) one;
      if (((PrimitiveArrayInstance) string.getValueOfField("value")).getLength() == 1 << 20) strings++;
    }
    say("megabyte.count", strings);
  }

  private static void say(String name, Object value) {
    System.out.println(name + "=" + value);
  }
}
